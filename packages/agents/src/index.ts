/** Models and tools for live agents. */

export {};
