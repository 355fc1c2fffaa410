//! Several servers as the nodes of one.

use std::net::SocketAddr;

use clap::Args;

use super::Hidden;

/// Other nodes of the server.
#[derive(Clone, Debug, Args)]
pub struct Nodes {
    /// Redis or Valkey by which several servers on one Postgres database are the nodes of one: `redis://host:port/number`,
    /// or `rediss://` for TLS. Its persistence must be off, because what people share in unsaved beams is in it [default:
    /// this server is alone].
    #[arg(long, env = "HELIOGRAPH_BUS", hide_env_values = true)]
    pub bus: Option<Hidden>,

    /// Address and port at which the other nodes reach this one, in a network of their own: what devices send goes
    /// over it as it is. 0.0.0.0 stands for the address of the best interface; 127.0.0.1 is for nodes and a bus on one
    /// machine. Used with --bus alone.
    #[arg(
        long,
        env = "HELIOGRAPH_NODE",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:0"
    )]
    pub node: SocketAddr,
}
