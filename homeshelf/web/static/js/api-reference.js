// Shows the reference of the API, with Swagger UI.

/** @type {any} */ (window).SwaggerUIBundle({
  dom_id: "#reference",
  url: "/api/v1/openapi.json",
  deepLinking: true,
  docExpansion: "none",
  tagsSorter: "alpha",
  defaultModelsExpandDepth: -1,
});
