import * as langGraph from '@langchain/langgraph';
import { supervised } from '../langgraph/graphs.mjs';

export const graph = supervised(langGraph).compile();
