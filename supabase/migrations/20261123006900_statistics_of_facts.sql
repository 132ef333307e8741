-- What the planner knows of the new columns that lists are searched by. To add a column or an index counts as no change,
-- so Postgres would not gather it by itself for weeks.

analyze public.contacts (phone_key, marketing_opt_out_at), public.conversations (phone_number_id);
