"""The rule sheet: a rule file written out in sentences for people at a table."""
