"""Problems and tables as text and JSON."""
