"""Documents of other tools: curl commands, Postman, OpenAPI, JMeter. Each reader takes a text and
gives test cases, and says of each thing that it has left out where it stands and what it was."""
