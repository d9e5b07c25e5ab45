// The token is kept in the browser, so that it survives a reload; the password never is.
const forgetPassword = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorizeOauth2: (original) => (payload) => {
          const { password, clientSecret, ...auth } = payload.auth;
          return original({ ...payload, auth });
        },
      },
    },
  },
});

SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#swagger-ui",
  plugins: [forgetPassword],
  deepLinking: true,
  validatorUrl: null,
  filter: true,
  persistAuthorization: true,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  displayOperationId: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
});
