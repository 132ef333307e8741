// supabase-js is a file of its own, which browsers keep while the page changes.
export { createClient } from "@supabase/supabase-js";
export type { SupabaseClient } from "@supabase/supabase-js";
