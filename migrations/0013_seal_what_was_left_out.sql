-- Until now the sealer could pass an event by whose transaction began last and took the lower number. It looks at all of
-- them once more; what has its seal keeps it, and what has none gets one at the end of its chain.
update audit_sealer set settled_to = 0, settling_to = 0, settling_xact = 0;
