// supabase-js is in a separate file, which browsers keep when the rest of the page changes.
export { createClient } from "@supabase/supabase-js";
export type { SupabaseClient } from "@supabase/supabase-js";
