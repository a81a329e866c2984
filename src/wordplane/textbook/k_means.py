"""k-means: clusters of points, each around its mean.

repeat:   every point joins the nearest center;   every center moves to the mean of its points
until no point changes its cluster
"""

Point = tuple[float, ...]


def squared_distance(a: Point, b: Point) -> float:
    """
    >>> squared_distance((0.0, 0.0), (3.0, 4.0))
    25.0
    """
    return sum((a_j - b_j) ** 2 for a_j, b_j in zip(a, b, strict=True))


def mean(points: list[Point]) -> Point:
    """
    >>> mean([(0.0, 0.0), (2.0, 4.0)])
    (1.0, 2.0)
    """
    return tuple(sum(column) / len(points) for column in zip(*points, strict=True))


def k_means(points: list[Point], centers: list[Point]) -> tuple[list[Point], list[int]]:
    """The centers that were reached from the given ones, and the cluster of every point.

    >>> k_means([(0.0,), (1.0,), (9.0,)], [(0.0,), (1.0,)])
    ([(0.5,), (9.0,)], [0, 0, 1])
    """
    clusters: list[int] = []
    while True:
        nearest = [
            min(range(len(centers)), key=lambda k: squared_distance(point, centers[k]))
            for point in points
        ]
        if nearest == clusters:
            return centers, clusters
        clusters = nearest
        for k in range(len(centers)):
            own = [p for p, cluster in zip(points, clusters, strict=True) if cluster == k]
            centers = [*centers[:k], mean(own) if own else centers[k], *centers[k + 1 :]]
