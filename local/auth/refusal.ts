/** An error response in the form that Supabase Auth returns. */
export function refused(status: number, error_code: string, msg: string): Response {
  return Response.json({ code: status, error_code, msg }, {
    status,
    headers: { "X-Sb-Error-Code": error_code },
  });
}
