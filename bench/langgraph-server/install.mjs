import { peer } from '../peer/install-peer.mjs';

export const LANGGRAPH_SERVER = peer(
  'LangGraph server',
  new URL('./', import.meta.url),
  '@langchain/langgraph-api',
);
