// Imported first, so that an old Node prints this message instead of failing with an obscure error.
const [major, minor] = process.versions.node.split('.').map(Number);

// The minimum version of the strictest dependency.
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    'Baton needs Node.js 20.19 or later, and this is ' +
      process.versions.node +
      '. Install a current version from https://nodejs.org and run the command again.',
  );
  process.exit(1);
}
