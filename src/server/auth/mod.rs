//! Who is calling: the pieces that doors use to find out. Rules about what they may do are the services'.

pub mod csrf;
pub mod device;
pub mod passwords;
