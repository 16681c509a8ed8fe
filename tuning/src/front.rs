//! Points that no other beats in every objective.

/// The indices of the points for which no other is as good in both costs and better in one; by the first cost. Of equal
/// points the first is kept.
pub fn front(costs: &[[f64; 2]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|&a, &b| {
        let [x, y] = [costs[a], costs[b]];
        x[0].total_cmp(&y[0])
            .then(x[1].total_cmp(&y[1]))
            .then(a.cmp(&b))
    });
    let mut least = f64::INFINITY;
    order.retain(|&at| {
        let is_better = costs[at][1] < least;
        least = least.min(costs[at][1]);
        is_better
    });
    order
}

/// Average distance from reference set: for each point of the true front, how much worse in its worse objective the nearest
/// found point is, as a part of the true point's own costs; their mean. 0: the fronts are the same.
pub fn adrs(truth: &[[f64; 2]], found: &[[f64; 2]]) -> f64 {
    let worse = |own: &[f64; 2], other: &[f64; 2]| {
        let part = |at: usize| ((other[at] - own[at]) / own[at].max(f64::MIN_POSITIVE)).max(0.0);
        part(0).max(part(1))
    };
    let nearest = |own: &[f64; 2]| {
        let all = found.iter().map(|other| worse(own, other));
        all.fold(f64::INFINITY, f64::min)
    };
    truth.iter().map(nearest).sum::<f64>() / truth.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominated_points_are_not_on_the_front() {
        let costs = [[2.0, 2.0], [1.0, 3.0], [3.0, 1.0], [3.0, 2.0], [2.0, 2.0]];
        assert_eq!(front(&costs), [1, 0, 2]);
        assert!(front(&[]).is_empty());
    }

    #[test]
    fn a_front_is_as_far_as_its_nearest_points() {
        let truth = [[1.0, 4.0], [4.0, 1.0]];
        assert_eq!(adrs(&truth, &truth), 0.0);
        // The first is found; from it the second is 3 times too large in the second cost.
        assert_eq!(adrs(&truth, &truth[..1]), 1.5);
        assert_eq!(
            adrs(&truth, &[[1.1, 4.0], [4.0, 1.0]]),
            (0.1f64 + 0.0).max(1.1 - 1.0) / 2.0
        );
    }
}
