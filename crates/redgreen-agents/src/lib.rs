//! One folder for each agent: how to start it and what it is given.
