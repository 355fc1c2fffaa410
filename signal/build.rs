//! Makes the folder of the built client, so that the server builds without a client too.

fn main() -> std::io::Result<()> {
    std::fs::create_dir_all("../client/dist")?;
    println!("cargo:rerun-if-changed=../client/dist");
    Ok(())
}
