"""Why iterations of a load test failed: is it the load, the data, the target or the test case?"""
