export default {
  input: '../../openapi/openapi.json',
  output: {
    path: '../../target/clients/typescript',
    // Node finds a module only by its whole name.
    module: { extension: '.js' },
  },
};
