//! Nodes that say in the database that they are there.

use std::time::Duration;

use uuid::Uuid;

use super::stage::{at, on_both};

#[tokio::test]
async fn a_node_is_there_where_it_said_last_and_for_as_long_as_it_says_so() {
    on_both(async |storage| {
        let [one, two] = [1, 2].map(|n| Uuid::from_bytes([n; 16]));
        storage.beat(one, "192.0.2.1:1", at(1)).await.unwrap();
        storage.beat(two, "192.0.2.2:1", at(2)).await.unwrap();
        storage.beat(two, "192.0.2.2:2", at(5)).await.unwrap();

        let named = |nodes: &[(Uuid, &str)]| -> Vec<(Uuid, String)> {
            nodes.iter().map(|(node, address)| (*node, (*address).to_owned())).collect()
        };
        let both = named(&[(one, "192.0.2.1:1"), (two, "192.0.2.2:2")]);
        assert_eq!(storage.nodes_since(at(1)).await.unwrap(), both);
        assert_eq!(storage.nodes_since(at(2)).await.unwrap(), both[1..]);

        let month = Duration::from_hours(31 * 24);
        assert_eq!(storage.forget_old_nodes(at(2) + month).await.unwrap(), 1);
        assert_eq!(storage.nodes_since(at(0)).await.unwrap(), both[1..]);
    })
    .await;
}
