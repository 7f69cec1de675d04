-- Keys that all replicas share: of MPP's challenges, whose ids are hashes under it. Made once, at the first
-- start with the wire on.
create table payment_secrets (
  name text primary key,
  secret text not null
);
