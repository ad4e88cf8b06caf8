// Imported before anything else, so that an old Node says this instead of failing somewhere inside.
const [major, minor] = process.versions.node.split('.').map(Number);

// What the strictest dependency asks for.
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    'Baton needs Node.js 20.19 or later, and this is ' +
      process.versions.node +
      '. Install a current version from https://nodejs.org and run the command again.',
  );
  process.exit(1);
}
