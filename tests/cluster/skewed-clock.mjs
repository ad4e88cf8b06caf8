/** Loaded into a host before everything else: its clock is wrong by so many milliseconds. */
const skew = Number(process.env.SKEWED_CLOCK_MS ?? 0);
const now = Date.now.bind(Date);
Date.now = () => now() + skew;
