/** Any JSON value; what a schedule hands to its target. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
