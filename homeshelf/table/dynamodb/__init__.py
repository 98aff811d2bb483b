"""The DynamoDB engine: a small client for any server with DynamoDB's API."""
