//! The devices that a person is told on, as they see them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::Reader;
use crate::server::db::push::StoredDevice;
use crate::server::text;
use crate::wire::push::{DeviceView, PushView};

/// The devices, and the key for one more.
pub fn devices(devices: Vec<StoredDevice>, key: Option<String>, reader: &Reader) -> PushView {
    PushView { key, devices: devices.into_iter().map(|device| self::device(device, reader)).collect() }
}

fn device(device: StoredDevice, reader: &Reader) -> DeviceView {
    DeviceView {
        id: device.id.to_string(),
        name: text::reveal_text(&device.name),
        mark: URL_SAFE_NO_PAD.encode(Sha256::digest(&device.endpoint)),
        hides_content: device.hides_content,
        added: reader.moment(device.created_at),
        told: device.last_told_at.map(|at| reader.moment(at)),
        error: device.last_error.map(|error| text::reveal_text(&error)),
    }
}
