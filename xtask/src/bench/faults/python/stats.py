# renames: values=numbers, total=whole, low=least
# == mean
def mean(values):
    if not values:
        return 0
    total = sum(values)
    return total / len(values)


# == median
def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


# == spread
def spread(values):
    low = min(values)
    high = max(values)
    return high - low


# == clamp
def clamp(value, low, high):
    if value < low:
        return low
    if value > high:
        return high
    return value


# == histogram
def histogram(values, width):
    counts = {}
    for value in values:
        bucket = value // width * width
        counts[bucket] = counts.get(bucket, 0) + 1
    return counts


# == moving
def moving(values, size):
    result = []
    for end in range(size, len(values) + 1):
        window = values[end - size : end]
        result.append(mean(window))
    return result


# == grade
def grade(points, maximum):
    percent = clamp(points * 100 / maximum, 0, 100)
    if percent >= 90:
        return "A"
    if percent >= 75:
        return "B"
    if percent >= 50:
        return "C"
    return "F"


# == summary
def summary(values):
    middle = median(values)
    average = mean(values)
    skew = average - middle
    label = "even"
    if skew > 1:
        label = "high"
    elif skew < -1:
        label = "low"
    return {"mean": average, "range": spread(values), "label": label}
