// Every key of the schema tables is given to its loader.
