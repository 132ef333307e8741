// Shows the reference with all that leads to other services switched off. Requests can be tried where the
// settings say so: on the local stack, because only there the API has the origin of this page.
(async () => {
  const place = document.querySelector("#reference");
  const settings = await fetch("reference-settings.json").then((answer) => answer.json())
    .catch(() => ({ tryIt: false }));
  place.replaceChildren();
  globalThis.Scalar.createApiReference(place, {
    url: "openapi.json",
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
