-- What claimed authorizations before claim_purchase did (0010); no version since calls it.
drop function payment_claim(jsonb, integer, integer);
