//! How an order is made: the state of its jobs, what follows from it, and which events it allows. Everything is decided here from
//! values alone; who loads and stores them is no matter.
