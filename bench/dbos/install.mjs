import { peer } from '../peer/install-peer.mjs';

export const DBOS = peer('DBOS', new URL('./', import.meta.url), '@dbos-inc/dbos-sdk');
