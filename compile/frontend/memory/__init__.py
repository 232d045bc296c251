"""Values that change and those who see them come in, new contents or a refusal go out.

The rest of the front end enters by `interface`. What `undo_log`, `notes` and `array_store` hold is part of the state of
an elaboration, which the other modules here read and write.
"""

from ccc.later import load_later

load_later(__name__)
