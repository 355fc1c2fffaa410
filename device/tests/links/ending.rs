//! How a connection ends (L5): for both ends, and with all that it had.

use std::time::Duration;

use crate::stage::{self, V4};

#[tokio::test]
async fn l5_both_ends_close_when_the_initiator_closes() {
    for kind in stage::KINDS {
        let (mut first, mut second) = stage::connected(kind).await;
        first.link.close();
        first.closed().await;
        second.closed().await;
    }
}

#[tokio::test]
async fn l5_both_ends_close_when_the_other_closes() {
    for kind in stage::KINDS {
        let (mut first, mut second) = stage::connected(kind).await;
        second.link.close();
        first.closed().await;
        second.closed().await;
    }
}

#[tokio::test]
async fn a_link_that_is_dropped_ends_and_nothing_of_it_stays() {
    for kind in stage::KINDS {
        let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let before = tasks();
        let (first, mut second) = stage::connected(kind).await;
        assert!(tasks() > before);
        drop(first);
        second.closed().await;
        drop(second);
        let mut looks = 0;
        while tasks() > before {
            looks += 1;
            assert!(looks < 4_000, "{} tasks are still there", tasks() - before);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn a_link_that_closes_before_it_connects_tells_so() {
    for kind in stage::KINDS {
        let (mut first, mut second) = stage::pair(kind, V4);
        first.link.close();
        first.closed().await;
        second.link.close();
        second.closed().await;
    }
}
