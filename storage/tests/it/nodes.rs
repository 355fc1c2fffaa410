//! Nodes that say in the database that they are there.

use std::time::Duration;

use uuid::Uuid;

use super::stage::{at, on_both};

#[tokio::test]
async fn a_node_is_there_where_it_said_last_and_it_is_known_when_redis_did_not_hear_it() {
    on_both(async |storage| {
        let [one, two] = [1, 2].map(|n| Uuid::from_bytes([n; 16]));
        storage.see_node(one, "192.0.2.1:1", true, at(1)).await.unwrap();
        storage.see_node(two, "192.0.2.2:1", false, at(2)).await.unwrap();
        storage.see_node(two, "192.0.2.2:2", true, at(5)).await.unwrap();
        storage.see_node(one, "192.0.2.1:1", false, at(6)).await.unwrap();

        let (first, second) = ((one, "192.0.2.1:1".to_owned()), (two, "192.0.2.2:2".to_owned()));
        let seen = async |then| storage.nodes_seen_since(at(then)).await.unwrap();
        assert_eq!(seen(5).await, [first.clone(), second.clone()]);
        assert_eq!(seen(6).await, std::slice::from_ref(&first));
        let unheard = async |then| storage.nodes_unheard_since(at(then)).await.unwrap();
        assert_eq!(unheard(1).await, [first.clone(), second.clone()]);
        assert_eq!(unheard(2).await, std::slice::from_ref(&second));

        let month = Duration::from_hours(30 * 24);
        assert_eq!(storage.forget_old_nodes(at(6) + month).await.unwrap(), 1);
        assert_eq!(seen(0).await, [first]);
    })
    .await;
}
