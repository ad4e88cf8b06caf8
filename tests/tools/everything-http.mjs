import { Server } from 'node:net';

/**
 * Starts the reference MCP server over HTTP on loopback only, at the port in PORT, and says when it listens.
 * The server itself would listen on all addresses, and does not say which port it got.
 */
const { listen } = Server.prototype;
Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  this.once('listening', () => process.send?.({ port: this.address().port }));
  return listen.call(this, Number(port), '127.0.0.1', ...rest);
};

process.argv[2] = 'streamableHttp';
await import('@modelcontextprotocol/server-everything/dist/index.js');
