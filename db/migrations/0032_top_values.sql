-- What is stated most beside a want is read in the order of its index, ties by the bytes of the value: the index had
-- them in the order of the database's own collation, so that all values of a large want were read and sorted.
drop index want_facts_most;
create index want_facts_most on want_facts (want_id, type, authors desc, value collate "C");
