import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * `npm run dev -w @baton/console` serves the sources and sends requests for the API to the host that BATON_URL names,
 * with the key of BATON_KEY.
 */
const { BATON_URL: target = 'http://127.0.0.1:4747', BATON_KEY: key } = process.env;
const host = {
  target,
  ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
};

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    target: 'es2023',
    // The content security policy of the host allows no data in the place of a file.
    assetsInlineLimit: 0,
    // Browsers that need the helper script for `modulepreload` are older than the target.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: { '/v1': host, '/.well-known': host, '/metrics': host, '/healthz': host, '/readyz': host },
  },
});
