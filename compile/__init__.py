"""From Python functions to compiled derivatives: each folder is a stage; imports go down from `api` to `program`."""
