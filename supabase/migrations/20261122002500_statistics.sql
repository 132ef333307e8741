-- What the planner knows of the columns and indexed expressions that searches use. Postgres gathers it by itself only
-- after a tenth of a table has changed, and to add a column or an index counts as no change. So a database that has rows
-- already would search them without it for weeks, and read the whole company where an index has the few rows that match.

analyze public.contacts, public.deals, public.conversations;
