"""Load tests over more than this machine: carriers of a load run on clusters that people have.

`luggage` is what a share needs on another machine, `share` what a worker of the cluster does with
it, `dask` the carrier; `clocks` is how theirs differ, `remote` what runs where this package is not. Imported
only for a load test that runs on a cluster.
"""
