"""HAR 1.2 and `Exchange`, both ways (http://www.softwareishard.com/blog/har-12-spec/)."""
