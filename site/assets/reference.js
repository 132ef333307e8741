// Shows the reference with all that leads to other services switched off. Requests can be tried where the
// settings say so: on the local stack, because only there the API has the origin of this page.
(async () => {
  const read = async (path) => await (await fetch(path)).json();
  const place = document.querySelector("#reference");
  const [content, settings] = await Promise.all([
    read("openapi.json"),
    read("reference-settings.json").catch(() => ({ tryIt: false })),
  ]);
  withoutValues(content);
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

/** A parameter that may be left out is left out of requests: Scalar would send its default, or its first value. */
function withoutValues({ paths, components }) {
  const operations = Object.values(paths).flatMap((path) => [path, ...Object.values(path)]);
  const lists = [...operations, { parameters: Object.values(components.parameters ?? {}) }];
  for (const { parameters = [] } of lists) {
    for (const parameter of parameters) {
      const hasExample = "example" in parameter || "examples" in parameter;
      if (!parameter.$ref && !parameter.required && !hasExample) parameter.example = "";
    }
  }
}
