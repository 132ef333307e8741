// Shows the reference without links to other services. Readers can try requests only if the
// settings allow it: on the local stack, where the API has the same origin as this page.
(async () => {
  const read = async (path) => await (await fetch(path)).json();
  const place = document.querySelector("#reference");
  const [content, guides, settings] = await Promise.all([
    read("openapi.json"),
    read("reference-guides.json"),
    read("reference-settings.json").catch(() => ({ tryIt: false })),
  ]);
  withoutValues(content);
  withGuides(content, guides);
  place.replaceChildren();
  globalThis.Scalar.createApiReference(place, {
    content,
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: "never",
    hideTestRequestButton: !settings.tryIt,
    orderSchemaPropertiesBy: "preserve",
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    documentDownloadType: "none",
    ...(settings.tryIt && {
      servers: [{ url: settings.server, description: "This machine" }],
      authentication: {
        preferredSecurityScheme: "bearer",
        securitySchemes: { bearer: { token: settings.apiKey ?? "" } },
      },
    }),
  });
})();

/**
 * Switches off each optional parameter that has a default or a list of allowed values, until a
 * reader switches it on. Scalar would put the default, or the first allowed value, into every
 * request.
 */
function withoutValues({ paths, components }) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  for (const operation of operations) {
    const bodies = Object.values(operation.requestBody?.content ?? {});
    const names = bodies.flatMap(({ examples = {} }) => Object.keys(examples));
    operation.parameters = operation.parameters?.map((each) => {
      const parameter = each.$ref ? components.parameters[each.$ref.split("/").at(-1)] : each;
      const value = parameter.schema.default ?? parameter.schema.enum?.[0];
      const hasExample = "example" in parameter || "examples" in parameter;
      if (parameter.required || hasExample || value === undefined) return each;
      const example = { value, "x-disabled": true };
      const examples = ["default", ...names].map((name) => [name, example]);
      return { ...parameter, examples: Object.fromEntries(examples) };
    });
  }
}

/** Adds links to the guides to the description of each operation. */
function withGuides({ paths }, guides) {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const found = guides[`${method.toUpperCase()} ${path}`];
      if (!found) continue;
      const links = found.map(([title, address]) => `[${title}](${address})`).join(", ");
      operation.description = `${operation.description ?? ""}\n\nGuides: ${links}`;
    }
  }
}
