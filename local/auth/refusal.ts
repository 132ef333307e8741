/** An error as Supabase Auth answers it. */
export function refused(status: number, error_code: string, msg: string): Response {
  return Response.json({ code: status, error_code, msg }, {
    status,
    headers: { "X-Sb-Error-Code": error_code },
  });
}
