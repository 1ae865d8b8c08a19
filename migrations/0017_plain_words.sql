-- The words of an action are its letters and digits. PostgreSQL's parser looks for addresses, paths and tags as well, and for
-- those it reads a text from each place again: 60 kB of `<!--` or `~/` took it a minute, and whoever proposed such texts held
-- all connections. Between words of letters and digits alone it reads once.
drop index action_words_idx;
alter table action
    drop column words,
    add column words tsvector not null generated always as (
        to_tsvector(
            'simple',
            translate(title || ' ' || preview_body, '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32))
        )
    ) stored;
create index action_words_idx on action using gin (words);
