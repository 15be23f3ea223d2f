"""What several causes read from a story, and remedies that several give."""
