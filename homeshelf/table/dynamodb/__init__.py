"""The DynamoDB engine: any server that speaks DynamoDB's API, through a client of our own."""
