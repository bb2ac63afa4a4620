-- What a crawl remembers, version 4. Page bodies are in the WARC files beside this database.

CREATE TABLE meta (             -- version, crawl id, settings, counters: one row each, values are JSON
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE hosts (
  id    INTEGER PRIMARY KEY,
  name  TEXT NOT NULL UNIQUE,            -- with its port, if that is not the scheme's own
  pages INTEGER NOT NULL DEFAULT 0,      -- fetched so far
  closed TEXT                            -- why nothing more is asked of it
);

-- A URL's row is written once and stays, because to change a random row of a wide table means to write a whole page of the file.
-- What becomes of URLs goes into a table that is narrow and has no row for those that just wait. Neither has an index: what the
-- frontier looks up (`store/url_index.py`) is derived from them, and people (`status`, `explain`) can wait for one pass over them.

CREATE TABLE found (            -- every URL ever seen, and how it was found
  id         INTEGER PRIMARY KEY,        -- in order of discovery
  key        INTEGER NOT NULL,           -- urls.key_of(url)
  host       INTEGER NOT NULL,
  priority   REAL NOT NULL,
  depth      INTEGER NOT NULL,
  parent     INTEGER NOT NULL,           -- found.id of the page that had the link, 0 for a seed
  origin     INTEGER NOT NULL,           -- found.id of the first URL of a chain of redirects, 0 outside of one
  hop        INTEGER NOT NULL,           -- how far down that chain
  url        TEXT NOT NULL,
  anchor     TEXT NOT NULL,
  why        TEXT NOT NULL,              -- what made the priority
  inherited  REAL                        -- what the strategy passes from page to page; NULL for a seed, or for nothing
);

CREATE TABLE fates (            -- what became of URLs; one that has no row waits for its first request
  id         INTEGER PRIMARY KEY,        -- found.id
  state      INTEGER NOT NULL,           -- model.State
  reason     TEXT,                       -- model.Reason, for failed and skipped ones
  detail     TEXT NOT NULL,              -- one sentence
  attempt    INTEGER NOT NULL,
  not_before REAL NOT NULL,              -- a retry waits until then
  target     TEXT NOT NULL DEFAULT ''    -- the URL that a moved one redirects to
);

CREATE VIEW urls AS             -- both together
  SELECT found.*, coalesce(state, 0) AS state, reason, coalesce(detail, '') AS detail, coalesce(attempt, 1) AS attempt,
         coalesce(not_before, 0.0) AS not_before, coalesce(target, '') AS target
  FROM found LEFT JOIN fates USING (id);

CREATE TABLE tally (            -- how many URLs are in which state for which reason; kept by every commit
  state  INTEGER NOT NULL,
  reason TEXT NOT NULL,
  urls   INTEGER NOT NULL,
  PRIMARY KEY (state, reason)
) WITHOUT ROWID;

CREATE TABLE pages (            -- one row per fetched page
  id            INTEGER PRIMARY KEY,     -- found.id of the URL that answered
  fetch_order   INTEGER NOT NULL,
  fetched_at    REAL NOT NULL,
  status        INTEGER NOT NULL,
  content_type  TEXT NOT NULL,
  bytes         INTEGER NOT NULL,
  truncated     INTEGER NOT NULL,
  took          REAL NOT NULL,           -- seconds
  address       TEXT NOT NULL,
  etag          TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  title         TEXT NOT NULL,
  description   TEXT NOT NULL,
  language      TEXT NOT NULL,
  charset       TEXT NOT NULL,
  published     TEXT NOT NULL,
  canonical     TEXT NOT NULL,
  noindex       INTEGER NOT NULL,
  links         INTEGER NOT NULL,        -- how many
  images        INTEGER NOT NULL,        -- how many
  score         REAL,                    -- NULL for types that are not judged
  threshold     REAL,
  relevant      INTEGER NOT NULL,
  why           TEXT NOT NULL,           -- JSON list of {what, amount}
  content_hash  BLOB NOT NULL,           -- BLAKE2b-128 of the body
  fingerprint   BLOB NOT NULL,           -- MinHash, 4 bytes a number
  duplicate_of  INTEGER NOT NULL,        -- pages.id, 0 for none
  similarity    REAL NOT NULL,           -- 1 for an exact copy
  warc_file     TEXT NOT NULL,           -- empty when no body is kept
  warc_offset   INTEGER NOT NULL,
  topic         TEXT NOT NULL DEFAULT '',    -- which of several topics it is about
  checked_at    REAL NOT NULL DEFAULT 0.0,   -- when it was last seen to be so
  gone          TEXT NOT NULL DEFAULT ''     -- why the last look found no page any more, in one sentence; else empty
);
CREATE UNIQUE INDEX pages_order ON pages (fetch_order);
CREATE INDEX pages_hash ON pages (content_hash);

CREATE TABLE versions (         -- what pages say: a row for the first visit, and for each later one that found another text
  id          INTEGER PRIMARY KEY,       -- ascending: by it an index knows how far it has come
  page        INTEGER NOT NULL,          -- pages.id
  at          REAL NOT NULL,             -- when it was fetched
  title       TEXT NOT NULL,
  headings    TEXT NOT NULL,             -- one on each line
  text        BLOB,                      -- the main text, packed (`store/packed_page.py`); NULL: the page asks not to be kept, since then
  warc_file   TEXT NOT NULL,
  warc_offset INTEGER NOT NULL
);
CREATE INDEX versions_page ON versions (page);

CREATE TABLE links (            -- where pages lead, and in which words, packed (`store/packed_page.py`)
  page    INTEGER PRIMARY KEY,
  targets BLOB NOT NULL
);

CREATE TABLE due (              -- pages that are to be looked at again
  page INTEGER PRIMARY KEY
);

CREATE TABLE images (         -- every image that is wanted, and what came of it
  id           INTEGER PRIMARY KEY,
  key          INTEGER NOT NULL,         -- urls.key_of(url)
  url          TEXT NOT NULL,
  state        INTEGER NOT NULL,         -- model.State
  reason       TEXT,
  detail       TEXT NOT NULL,            -- one sentence
  fetched_at   REAL NOT NULL,            -- 0 while it waits, like all that follows
  format       TEXT NOT NULL,
  width        INTEGER NOT NULL,
  height       INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  fingerprint  BLOB NOT NULL,            -- `images/fingerprint.py`
  same_as      INTEGER NOT NULL,         -- images.id of a larger one that shows the same; 0: this is the largest
  thumbnail    BLOB NOT NULL,
  warc_file    TEXT NOT NULL,
  warc_offset  INTEGER NOT NULL
);

CREATE TABLE sightings (        -- where images stand, and what makes them relevant
  image_id INTEGER NOT NULL,              -- images.id
  page    INTEGER NOT NULL,
  score   REAL NOT NULL,
  topic   TEXT NOT NULL,
  image   TEXT NOT NULL,                 -- JSON of model.Image: what the page says about it
  why     TEXT NOT NULL,                 -- JSON list of {what, amount}
  PRIMARY KEY (image_id, page)
) WITHOUT ROWID;

CREATE TABLE bands (            -- locality-sensitive hashing: pages that share a band may be near-duplicates
  band INTEGER NOT NULL,
  page INTEGER NOT NULL,
  PRIMARY KEY (band, page)
) WITHOUT ROWID;

CREATE TABLE robots (
  origin     TEXT PRIMARY KEY,
  text       TEXT NOT NULL,
  status     INTEGER NOT NULL,
  fetched_at REAL NOT NULL,
  expires_at REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE patterns (         -- families of URLs that may turn out to be traps
  host     TEXT NOT NULL,
  pattern  TEXT NOT NULL,
  pages    INTEGER NOT NULL,
  repeats  INTEGER NOT NULL,
  relevant INTEGER NOT NULL,
  PRIMARY KEY (host, pattern)
) WITHOUT ROWID;

CREATE TABLE memos (            -- what the strategy wants to know of fetched pages after a restart
  fetch_order INTEGER PRIMARY KEY,
  memo        BLOB NOT NULL
);

CREATE TABLE topics (           -- how the topic changed; the first version is in the settings
  version INTEGER PRIMARY KEY,
  pages   INTEGER NOT NULL,              -- fetched when it changed
  at      REAL NOT NULL,
  why     TEXT NOT NULL,                 -- one sentence
  topic   TEXT NOT NULL,                 -- JSON
  memory  BLOB NOT NULL                  -- what the next change builds on
);
