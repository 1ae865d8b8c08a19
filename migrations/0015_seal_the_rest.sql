-- The secrets that lay in the clear until now: the private key of receipts and the webhook secrets of projects. They are
-- sealed by the server like those of channels (server/secrets); the database never sees a key.

-- Only a server can seal. What earlier versions stored stays where it is until the first one starts: it seals the value,
-- and empties the column that held it in the clear. Nothing writes those columns any more.
alter table receipt_key
    -- The Ed25519 seed, sealed for this column and row.
    add column sealed_key text,
    drop constraint receipt_key_signs_until_retired,
    add constraint receipt_key_signs_until_retired check (
        num_nonnulls(private_key, sealed_key) = case when retired_at is null then 1 else 0 end);

alter table project
    alter column webhook_secret drop not null,
    -- The key of callback signatures, sealed for this column and row.
    add column sealed_webhook_secret text,
    add constraint project_has_one_webhook_secret check (num_nonnulls(webhook_secret, sealed_webhook_secret) = 1);
