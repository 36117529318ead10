"""Load tests over more than this machine: carriers of a load run on clusters that people have.

`bundle` is what a share needs on another machine, `share` what a worker of the cluster does with
it, `cluster` is Dask's, `carrier` a run on it; `remote` is what runs where this package may not be.
Imported only for a load test that runs on a cluster.
"""
